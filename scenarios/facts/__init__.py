"""What a reply says about the facts a scenario expects: one implementation for users and judges."""
