"""Packs of scenarios: listed, spoken, verified, grown; and the voices that speak them."""
