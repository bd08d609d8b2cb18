"""How the user speaks: one voice made into many by changing pitch, size, tempo and breath."""
