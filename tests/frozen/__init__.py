"""What the product says, frozen: ``python -m tests.frozen`` shows what a change makes it say differently."""
