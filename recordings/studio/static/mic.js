// The microphone: the page takes it, and plays the endpoint. See recordings/studio/mic_socket.py for the messages.

import { bdi, h, replace } from "./dom.js";

/** Show the page; returns what ends it. @param {Element} root */
export async function show(root) {
  const desk = new Desk(root);
  desk.draw();
  return () => desk.end();
}

class Desk {
  /** @param {Element} root */
  constructor(root) {
    this.root = root;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {AudioContext | null} */
    this.audio = null;
    /** @type {MediaStream | null} */
    this.stream = null;
  }

  draw() {
    this.mode = h("select", { id: "mic-mode" }, ...["free", "guided", "co-pilot"].map((name) => h("option", { value: name }, name)));
    this.echo = h("input", { type: "checkbox", id: "mic-echo", checked: true });
    this.start = h("button", { class: "primary", on: { click: () => this.call().catch((error) => this.failed(error)) } }, "Call");
    this.hang = h("button", { disabled: true, on: { click: () => this.say({ type: "hang_up" }) } }, "Hang up");
    this.skip = h("button", { disabled: true, on: { click: () => this.say({ type: "skip" }) } }, "Leave this out");
    this.muted = h("button", { disabled: true, "aria-pressed": "false", on: { click: () => this.mute() } }, "Mute");
    this.state = h("p", { class: "mic-state", role: "status" }, "Wear headphones, or let the browser cancel the echo.");
    this.next = h("p", { class: "mic-next", "aria-live": "polite", style: { "min-height": "1.5em" } });
    this.user = h("meter", { min: -60, max: 0, value: -60, "aria-label": "you" });
    this.endpoint = h("meter", { min: -60, max: 0, value: -60, "aria-label": "endpoint" });
    this.log = h("ol", { class: "mic-log", "aria-live": "polite", style: { "list-style": "none", padding: "0" } });
    replace(this.root, h("section", { class: "mic", style: { padding: "16px", display: "grid", gap: "12px", "max-width": "60rem" } },
      h("h1", {}, "Take the call yourself"),
      h("p", {}, h("label", { for: "mic-mode" }, "Mode "), this.mode, " ", this.echo, h("label", { for: "mic-echo" }, " cancel the echo")),
      h("p", {}, this.start, " ", this.hang, " ", this.muted, " ", this.skip),
      this.state, h("p", {}, "You ", this.user, " Endpoint ", this.endpoint), this.next, this.log));
  }

  async call() {
    this.start.disabled = true;
    replace(this.log);
    this.stream = await navigator.mediaDevices.getUserMedia({ audio: {
      echoCancellation: this.echo.checked, noiseSuppression: false, autoGainControl: false, channelCount: 1 } });
    this.audio = new AudioContext({ latencyHint: "interactive" });
    await this.audio.audioWorklet.addModule("mic-worklet.js");
    const node = new AudioWorkletNode(this.audio, "viva-mic", { outputChannelCount: [1] });
    this.audio.createMediaStreamSource(this.stream).connect(node).connect(this.audio.destination);
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/mic`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    // a device that is unplugged ends its track: the line is closed, and the episode says so
    for (const track of this.stream.getTracks()) track.onended = () => this.end("the microphone is gone");
    await new Promise((resolve, reject) => { socket.onopen = resolve; socket.onerror = () => reject(new Error("the studio does not answer")); });
    this.say({ type: "call", rate: this.audio.sampleRate, mode: this.mode.value, echo_cancellation: this.echo.checked });
    node.port.onmessage = ({ data }) => this.captured(data);
    socket.onmessage = ({ data }) => (data instanceof ArrayBuffer ? node.port.postMessage(data, [data]) : this.told(JSON.parse(data)));
    socket.onclose = ({ reason }) => this.end(reason);
    for (const button of [this.hang, this.skip, this.muted]) button.disabled = false;
    this.show("Calling …");
  }

  /** Samples of the microphone, with the number of the first. @param {{first: number, pcm: ArrayBuffer}} piece */
  captured({ first, pcm }) {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    const message = new Uint8Array(8 + pcm.byteLength);
    new DataView(message.buffer).setBigUint64(0, BigInt(first), true);
    message.set(new Uint8Array(pcm), 8);
    this.socket.send(message);
  }

  /** @param {object} message */
  say(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  mute() {
    const muted = this.muted.getAttribute("aria-pressed") !== "true";
    this.muted.setAttribute("aria-pressed", String(muted));
    this.say({ type: "talk", on: !muted });
  }

  /** @param {any} message */
  told(message) {
    if (message.type === "loading") this.show("Loading models …");
    else if (message.type === "levels") this.meters(message);
    else if (message.type === "ended") this.ended(message);
    else this.event(message.event);
  }

  meters({ user, endpoint }) {
    for (const [meter, peak] of [[this.user, user], [this.endpoint, endpoint]]) {
      meter.value = peak > 0 ? Math.max(-60, 20 * Math.log10(peak / 32768)) : -60;
    }
  }

  event(event) {
    if (event.kind === "session_started") this.show("Connected: speak when you like.");
    else if (event.kind === "device_opened") this.opened(event.mode);
    else if (event.kind === "line_proposed") replace(this.next, h("b", {}, event.spoken ? "Say: " : "Ask about: "), bdi(event.text));
    else if (event.kind === "utterance_started") this.said(event);
    else if (event.kind === "turn_ended") this.line("endpoint", event.heard ?? "(not understood)");
    else if (event.kind === "verdict_given" && event.label) this.line(event.judge, event.reason ? `${event.label} (${event.reason})` : event.label);
    else if (event.kind === "device_trouble" && Math.abs(event.seconds) >= 0.02) this.line("device", `${event.fault}, ${Math.round(1000 * event.seconds)} ms`);
    else if (event.kind === "noticed" && event.level !== "info") this.line(event.by, `${event.code}: ${event.message}`);
  }

  /** Guided and co-pilot calls need a scenario; without one it is free talk. @param {string} mode */
  opened(mode) {
    if (mode !== this.mode.value) this.line("studio", `${mode} talk: no scenario was named (viva listen --mic-scenario)`);
  }

  said({ text, role }) {
    if (role !== "backchannel") replace(this.next); // what is open is proposed again
    this.line("you", text || "(not understood)");
  }

  line(who, text) {
    this.log.append(h("li", {}, h("b", {}, who, ": "), bdi(text)));
    this.log.lastElementChild.scrollIntoView({ block: "nearest" });
  }

  show(text) { replace(this.state, text); }

  ended({ outcome, reason, folder }) {
    this.result = true;
    this.show(`${outcome.replaceAll("_", " ")}: ${reason}. Recorded in ${folder}; viva report shows its scores.`);
    this.root.querySelector(".mic").dataset.outcome = outcome;
    replace(this.next);
    this.end();
  }

  failed(error) {
    this.show(error.name === "NotAllowedError" ? "The browser was not allowed to use the microphone." : error.message);
    this.end();
  }

  /** Let go of everything. @param {string} [reason] */
  end(reason) {
    if (reason && !this.result) this.show(reason);
    const socket = this.socket;
    this.socket = null;
    if (socket && socket.readyState <= WebSocket.OPEN) socket.close();
    for (const track of this.stream?.getTracks() ?? []) { track.onended = null; track.stop(); }
    this.audio?.close();
    this.stream = this.audio = null;
    this.result = false;
    for (const button of [this.hang, this.skip, this.muted]) if (button) button.disabled = true;
    if (this.start) this.start.disabled = false;
  }
}
