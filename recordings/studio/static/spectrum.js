// A spectrogram without a server: short-time Fourier transform, Hann window of 512 samples, −90 to 0 dB.

const SIZE = 512;
const FLOOR_DB = -90;
const TOP_HZ = 8000;

/** From quiet to loud, as the server has them: black, violet, red, yellow. */
const STOPS = [[0, 0, 4], [40, 11, 84], [101, 21, 110], [159, 42, 99], [212, 72, 66], [245, 125, 21], [250, 193, 39], [252, 255, 164]];

/** In place, of 2^n complex numbers. @param {Float64Array} re @param {Float64Array} im */
export function fft(re, im) {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) { [re[i], re[j]] = [re[j], re[i]]; [im[i], im[j]] = [im[j], im[i]]; }
  }
  for (let size = 2; size <= n; size <<= 1) {
    const half = size >> 1;
    for (let k = 0; k < half; k++) {
      const [cos, sin] = [Math.cos(-2 * Math.PI * k / size), Math.sin(-2 * Math.PI * k / size)];
      for (let i = k; i < n; i += size) {
        const j = i + half;
        const x = re[j] * cos - im[j] * sin;
        const y = re[j] * sin + im[j] * cos;
        re[j] = re[i] - x; im[j] = im[i] - y;
        re[i] += x; im[i] += y;
      }
    }
  }
}

/**
 * @param {Float32Array} samples @param {number} rate @param {number} start @param {number} end  In samples.
 * @returns {HTMLCanvasElement}
 */
export function spectrum(samples, rate, start, end, width, height) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const c = canvas.getContext("2d");
  const image = c.createImageData(width, height);
  const window = Float64Array.from({ length: SIZE }, (_, i) => 0.5 - 0.5 * Math.cos(2 * Math.PI * i / SIZE));
  const [re, im] = [new Float64Array(SIZE), new Float64Array(SIZE)];
  const top = Math.min(TOP_HZ, rate / 2) / rate * SIZE;
  for (let x = 0; x < width; x++) {
    const at = Math.round(start + (x + 0.5) * (end - start) / width) - SIZE / 2;
    for (let i = 0; i < SIZE; i++) { re[i] = (samples[at + i] ?? 0) * window[i]; im[i] = 0; }
    fft(re, im);
    for (let y = 0; y < height; y++) {
      const bin = Math.min(Math.round((1 - y / height) * top), SIZE / 2);
      // a full-scale sine has a quarter of the window's length
      const db = 20 * Math.log10(Math.hypot(re[bin], im[bin]) / (SIZE / 4) + 1e-9);
      paint(image.data, 4 * (y * width + x), Math.min(Math.max(1 - db / FLOOR_DB, 0), 1));
    }
  }
  c.putImageData(image, 0, 0);
  return canvas;
}

function paint(pixels, at, share) {
  const place = share * (STOPS.length - 1);
  const low = Math.min(Math.floor(place), STOPS.length - 2);
  for (let i = 0; i < 3; i++) pixels[at + i] = STOPS[low][i] + (STOPS[low + 1][i] - STOPS[low][i]) * (place - low);
  pixels[at + 3] = 255;
}
