"""Tables, findings and pages drawn from runs."""
