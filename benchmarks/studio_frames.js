([selector, seconds, kind]) => new Promise((done) => {
  const target = document.querySelector(selector);
  const box = target.getBoundingClientRect();
  const gaps = [];
  const begun = performance.now();
  let last = begun;
  const step = (now) => {
    gaps.push(now - last);
    last = now;
    if (now - begun > seconds * 1000) return done(gaps.slice(1));
    const part = (now - begun) / (seconds * 1000);
    if (kind === "scroll") target.scrollTop = part * target.scrollHeight;
    else {
      // closer for the first half, wider for the second; or sideways
      const delta = kind === "zoom" ? (part < 0.5 ? -60 : 60) : 40;
      target.dispatchEvent(new WheelEvent("wheel", {
        deltaY: kind === "zoom" ? delta : 0, deltaX: kind === "zoom" ? 0 : delta, bubbles: true, cancelable: true,
        clientX: box.left + box.width * 0.6, clientY: box.top + 80,
      }));
    }
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})
