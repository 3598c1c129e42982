"""Areas of the earth, location mechanisms, trackers and traces."""
