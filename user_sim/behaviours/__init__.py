"""What makes a user messy: a policy around any policy, words that hesitate, wordless sounds. Pure."""
