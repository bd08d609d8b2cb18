for (const figure of document.querySelectorAll("figure")) {
  const audio = figure.querySelector("audio");
  const svg = figure.querySelector("svg.timeline");
  if (!audio || !svg) continue;
  const left = Number(svg.dataset.left);
  const scale = Number(svg.dataset.scale);
  const playhead = svg.querySelector(".playhead");
  const follow = () => {
    const x = left + audio.currentTime * scale;
    playhead.setAttribute("x1", x);
    playhead.setAttribute("x2", x);
    if (!audio.paused) requestAnimationFrame(follow);
  };
  svg.addEventListener("click", (event) => {
    const x = event.clientX - svg.getBoundingClientRect().left;
    audio.currentTime = Math.max(0, (x - left) / scale);
    audio.play();
  });
  for (const name of ["play", "seeked", "timeupdate"]) audio.addEventListener(name, follow);
}
