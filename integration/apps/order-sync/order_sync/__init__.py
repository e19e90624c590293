"""Carries orders from the shop's queue to partners and files their invoices."""
