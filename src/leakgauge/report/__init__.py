"""What people look at: pictures as data, and later whole documents."""
