"""Steelyard weighs model outputs: is this run better than the last one, where, and may it ship?"""

__version__ = "0.1.0"
