// every figure plays its own call: by a click into the timeline, or on a time of the transcript below it
for (const figure of document.querySelectorAll("figure")) {
  const audio = figure.querySelector("audio");
  const svg = figure.querySelector("svg.timeline");
  if (!audio || !svg) continue;
  const view = svg.parentElement;
  const left = Number(svg.dataset.left);
  const scale = Number(svg.dataset.scale);
  const playhead = svg.querySelector(".playhead");
  const follow = () => {
    const x = left + audio.currentTime * scale;
    playhead.setAttribute("x1", x);
    playhead.setAttribute("x2", x);
    if (audio.paused) return;
    if (x < view.scrollLeft || x > view.scrollLeft + view.clientWidth - 40) view.scrollLeft = x - left;
    requestAnimationFrame(follow);
  };
  const listen = (seconds) => {
    for (const other of document.querySelectorAll("audio")) if (other !== audio) other.pause();
    audio.currentTime = Math.max(0, seconds);
    audio.play();
  };
  svg.addEventListener("click", (event) => {
    listen((event.clientX - svg.getBoundingClientRect().left - left) / scale);
  });
  for (const button of figure.parentElement.querySelectorAll("button.at")) {
    button.addEventListener("click", () => listen(Number(button.dataset.at)));
  }
  for (const name of ["play", "seeked"]) audio.addEventListener(name, follow);
}
