"""Node selectors node by node, on plain dicts as they stand in a manifest."""

import string

ALPHANUMERIC = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits


def required_affinity(spec: dict, name: str, labels: dict[str, str]) -> bool:
    """Whether nodeSelector and required node affinity let a pod onto a node."""
    for key, value in (spec.get("nodeSelector") or {}).items():
        if key not in labels or labels[key] != value:
            return False
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if required is None:
        return True
    return any(term_matches(term, name, labels) for term in required["nodeSelectorTerms"])


def preferred_weight(terms: list[dict], name: str, labels: dict[str, str]) -> int:
    return sum(item["weight"] for item in terms if term_matches(item["preference"], name, labels))


def term_matches(term: dict, name: str, labels: dict[str, str]) -> bool:
    expressions, fields = term.get("matchExpressions", []), term.get("matchFields", [])
    if not expressions and not fields:
        return False
    if not all(map(well_formed, expressions)):
        return False
    if not all(item["operator"] in ("In", "NotIn") and len(item["values"]) == 1 for item in fields):
        return False
    return all(label_matches(item, labels) for item in expressions) and all(
        field_matches(item, name) for item in fields
    )


def field_matches(requirement: dict, name: str) -> bool:
    held = name if requirement["key"] == "metadata.name" else ""
    return (held == requirement["values"][0]) == (requirement["operator"] == "In")


def label_matches(requirement: dict, labels: dict[str, str]) -> bool:
    key, operator, values = requirement["key"], requirement["operator"], requirement.get("values", [])
    if operator == "In":
        return key in labels and labels[key] in values
    if operator == "NotIn":
        return key not in labels or labels[key] not in values
    if operator == "Exists":
        return key in labels
    if operator == "DoesNotExist":
        return key not in labels
    if key not in labels or integer(labels[key]) is None:
        return False
    difference = integer(labels[key]) - integer(values[0])
    return difference > 0 if operator == "Gt" else difference < 0


def well_formed(requirement: dict) -> bool:
    operator, values = requirement["operator"], requirement.get("values", [])
    if operator in ("In", "NotIn"):
        right = len(values) >= 1
    elif operator in ("Exists", "DoesNotExist"):
        right = len(values) == 0
    elif operator in ("Gt", "Lt"):
        right = len(values) == 1 and integer(values[0]) is not None
    else:
        right = False
    return right and label_key(requirement["key"]) and all(value == "" or name_part(value) for value in values)


def integer(text: str) -> int | None:
    digits = text[1:] if text[:1] in ("+", "-") else text
    if digits == "" or any(character not in string.digits for character in digits):
        return None
    number = int(digits) * (-1 if text[0] == "-" else 1)
    return number if -(2**63) <= number < 2**63 else None


def label_key(text: str) -> bool:
    parts = text.split("/")
    if len(parts) == 2:
        return subdomain(parts[0]) and name_part(parts[1])
    return len(parts) == 1 and name_part(text)


def subdomain(text: str) -> bool:
    if len(text) > 253:
        return False
    return all(
        part != "" and part[0] in LOWER and part[-1] in LOWER and all(c in LOWER + "-" for c in part)
        for part in text.split(".")
    )


def name_part(text: str) -> bool:
    if not 1 <= len(text) <= 63:
        return False
    inside = all(character in ALPHANUMERIC + "-_." for character in text)
    return inside and text[0] in ALPHANUMERIC and text[-1] in ALPHANUMERIC
