// The keys of the view of a call.

import { api } from "./api.js";
import { announce } from "./dom.js";
import { clock } from "./format.js";
import { register } from "./keys.js";
import { neighbour } from "./order.js";

/** @param {import("./episode.js").EpisodeView} view */
export function episodeKeys(view) {
  const { player, timeline } = view;
  const move = (by) => { view.seek(player.time + by); timeline.reveal(player.time); };
  const mark = (edge) => {
    const t = player.time;
    const old = timeline.selection ?? { from: t, to: t };
    const next = edge === "from" ? { from: t, to: Math.max(old.to, t) } : { from: Math.min(old.from, t), to: t };
    timeline.select(next);
    announce(`selected ${clock(next.from)} to ${clock(next.to)}`);
  };
  const other = (by) => {
    const id = neighbour(view.id, by);
    if (id) location.hash = api.place(id);
    else announce("no more calls");
  };
  const ends = [
    register("Listen", [
      { keys: [" ", "k"], text: "play, pause", run: () => player.toggle() },
      { keys: ["Enter"], text: "play the selection, or the turn", run: () => playHere(view) },
      { keys: ["ArrowLeft"], text: "1 s back", run: () => move(-1) },
      { keys: ["ArrowRight"], text: "1 s on", run: () => move(1) },
      { keys: ["Shift+ArrowLeft"], text: "5 s back", run: () => move(-5) },
      { keys: ["Shift+ArrowRight"], text: "5 s on", run: () => move(5) },
      { keys: [","], text: "20 ms back", run: () => move(-0.02) },
      { keys: ["."], text: "20 ms on", run: () => move(0.02) },
      { keys: ["["], text: "previous turn", run: () => view.turn(-1) },
      { keys: ["]"], text: "next turn", run: () => view.turn(1) },
      { keys: ["Home"], text: "to the beginning", run: () => { view.seek(0); timeline.reveal(0); } },
      { keys: ["End"], text: "to the end", run: () => { view.seek(view.duration); timeline.reveal(view.duration); } },
      { keys: ["1"], text: "the user only", run: () => view.side("user") },
      { keys: ["2"], text: "the endpoint only", run: () => view.side("endpoint") },
      { keys: ["3"], text: "both", run: () => view.side("both") },
      { keys: ["m"], text: "one ear each, or both in the middle", run: () => player.setMiddle(!player.middle) },
      { keys: ["<"], text: "slower", run: () => view.speed(-1) },
      { keys: [">"], text: "faster", run: () => view.speed(1) },
    ]),
    register("Select and look", [
      { keys: ["i"], text: "selection begins here", run: () => mark("from") },
      { keys: ["u"], text: "selection ends here", run: () => mark("to") },
      { keys: ["l"], text: "loop the selection, or the turn", run: () => view.loop() },
      { keys: ["Escape"], text: "no selection", run: () => timeline.select(null) },
      { keys: ["+", "="], text: "closer", run: () => timeline.zoom(0.5) },
      { keys: ["-"], text: "wider", run: () => timeline.zoom(2) },
      { keys: ["0"], text: "whole call", run: () => timeline.fit() },
      { keys: ["z"], text: "zoom to the selection, or the turn", run: () => zoomHere(view) },
      { keys: ["x"], text: "zoom to single samples", run: () => timeline.go(timeline.view.around(player.time, player.time)) },
      { keys: ["Shift+ArrowUp"], text: "taller waves", run: () => taller(timeline, 1.5) },
      { keys: ["Shift+ArrowDown"], text: "flatter waves", run: () => taller(timeline, 1 / 1.5) },
      { keys: ["s"], text: "spectrogram", run: () => view.extra("spectrogram") },
      { keys: ["p"], text: "pitch", run: () => view.extra("pitch") },
      { keys: ["o"], text: "loudness", run: () => view.extra("loudness") },
    ]),
    register("Read", [["t", "transcript"], ["v", "moments"], ["c", "metrics"], ["e", "events"], ["a", "about"]].map(([key, name]) =>
      ({ keys: [key], text: name === "about" ? "about the call" : name, run: () => view.tabs.open(name, true) })).concat([
      { keys: ["n"], text: "next call of the table", run: () => other(1) },
      { keys: ["b"], text: "the call before", run: () => other(-1) },
    ])),
  ];
  return () => ends.forEach((end) => end());
}

function here(view) {
  if (view.timeline.selection) return view.timeline.selection;
  const turn = view.episode.turns[Math.max(view.transcript.current, 0)];
  return turn && { from: view.seconds(turn.start), to: view.seconds(turn.end) };
}

function playHere(view) {
  const found = here(view);
  if (found) view.player.playSpan(found.from, found.to);
}

function zoomHere(view) {
  const found = here(view);
  if (found) view.timeline.go(view.timeline.view.around(found.from, found.to));
}

function taller(timeline, by) {
  timeline.zoomY = Math.min(Math.max(timeline.zoomY * by, 0.25), 40);
  timeline.draw();
}
