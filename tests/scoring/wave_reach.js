() => {
              const canvas = document.querySelector(".stage canvas");
              const label = document.querySelector(".label.endpoint");
              const scale = canvas.height / canvas.clientHeight;
              const [top, height] = [label.offsetTop, label.offsetHeight];
              const pixels = canvas.getContext("2d").getImageData(0, Math.round(top * scale), canvas.width, Math.round(height * scale));
              const ink = (x) => { // how far from the middle the wave goes in a column
                let most = 0;
                for (let y = 0; y < pixels.height; y++) {
                  const at = 4 * (y * pixels.width + x);
                  if (pixels.data[at + 3] > 200 && pixels.data[at] < 60) most = Math.max(most, Math.abs(y - pixels.height / 2));
                }
                return most / pixels.height;
              };
              return [ink(Math.round(pixels.width * 0.25)), ink(Math.round(pixels.width * 0.51))];
            }
