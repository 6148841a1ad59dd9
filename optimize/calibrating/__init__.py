"""How far a judge agrees with people, and what its errors make of a run's mean."""
