window.painted = {};
const look = () => {
  const since = performance.now();
  const canvas = document.querySelector(".strip canvas");
  if (!window.painted.row && document.querySelector(".call")) window.painted.row = since;
  if (!window.painted.frame && document.querySelector(".stage canvas")?.width > 300) window.painted.frame = since;
  if (!window.painted.turn && document.querySelector(".turn")) window.painted.turn = since;
  if (canvas?.width > 300 && canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value)) window.painted.waves = since;
  if (!window.painted.waves || !window.painted.turn) requestAnimationFrame(look);
};
requestAnimationFrame(look);
window.shifts = 0;
new PerformanceObserver((list) => {
  for (const shift of list.getEntries()) if (!shift.hadRecentInput) window.shifts += shift.value;
}).observe({ type: "layout-shift", buffered: true });
