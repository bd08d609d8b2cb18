// On the audio thread: hands over what the microphone captured, plays what came. 128 samples at a time.

const PIECE = 1024; // samples that go to the page at once: 21 ms at 48 kHz
const LEAD = 4096; // samples that wait before the first is played: late messages are bridged
const MOST = 48000; // more than this never waits

class Mic extends AudioWorkletProcessor {
  constructor() {
    super();
    this.piece = new Int16Array(PIECE);
    this.filled = 0;
    this.first = 0;
    this.queue = [];
    this.waiting = 0;
    this.begun = false;
    this.missing = 0;
    this.port.onmessage = ({ data }) => {
      const samples = new Int16Array(data);
      if (this.waiting + samples.length > MOST) return;
      this.queue.push(samples);
      this.waiting += samples.length;
    };
  }

  process(inputs, outputs) {
    const heard = inputs[0]?.[0];
    const ear = outputs[0][0];
    if (!this.filled) this.first = currentFrame;
    for (let i = 0; i < ear.length; i++) {
      const sample = Math.round((heard ? heard[i] : 0) * 32768);
      this.piece[this.filled++] = Math.max(-32768, Math.min(32767, sample));
    }
    if (this.filled >= PIECE) {
      const full = this.piece.slice(0, this.filled);
      this.port.postMessage({ first: this.first, pcm: full.buffer, missing: this.missing }, [full.buffer]);
      this.filled = 0;
    }
    this.play(ear);
    return true;
  }

  play(ear) {
    if (!this.begun && this.waiting < LEAD) return;
    this.begun = true;
    for (let i = 0; i < ear.length; i++) {
      if (!this.queue.length) { this.missing++; continue; }
      const head = this.queue[0];
      this.at = this.at ?? 0;
      ear[i] = head[this.at++] / 32768;
      this.waiting--;
      if (this.at === head.length) { this.queue.shift(); this.at = 0; }
    }
  }
}

registerProcessor("viva-mic", Mic);
