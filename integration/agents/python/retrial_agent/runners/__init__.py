"""Hooks of test runners: one file a runner, which an adapter names (campaign/workload/adapters).

Its apply(module) runs once the module of the file's name is imported, `__` standing for a dot.
"""
