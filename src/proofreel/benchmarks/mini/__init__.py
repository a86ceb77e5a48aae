"""Ten questions on two small clips, shipped with the package: the form of AgentVidBench in one minute."""
