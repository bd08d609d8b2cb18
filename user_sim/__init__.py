"""Who calls: persona, policy, wording, the user's voice, and what the user hears."""
