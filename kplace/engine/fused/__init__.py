"""The fused engine: the same decision as `kplace.engine.cycle`, for a run of pods in one jitted loop.

``layout`` says how everything lies in memory, ``compile`` fills it from a profile and a state, ``cells``, ``counters``,
``window``, ``scores`` and ``select`` are the steps of one decision, and ``loop`` runs them pod after pod.
"""
