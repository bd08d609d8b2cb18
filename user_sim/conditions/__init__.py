"""What room and line do to the user's voice, frame by frame, continuous over the whole call.

The order is fixed, from the mouth to the wire:

    voice -> room -> + second speaker -> + noise -> + echo -> gain -> clipping -> codec -> loss -> jitter

Every stage is causal and looks at nothing that is still to come, so the wire does not lag behind the
clean track. All choices depend on the seed and on the number of the frame alone: every endpoint is called
over the same line.
"""
