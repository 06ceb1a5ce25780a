"""GpuShare: pods that share GPUs, by thousandths."""
