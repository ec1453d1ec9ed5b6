"""Every write, one verb each: check, change and audit event in one transaction."""
