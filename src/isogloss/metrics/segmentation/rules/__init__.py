"""What other tools count, one module a tool."""
