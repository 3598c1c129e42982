"""Jobs combine the other rooms; they compute nothing themselves."""
