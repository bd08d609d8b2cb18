(() => {
  // stands between the page and the loudspeaker, and measures what goes by: left, right
  const make = AudioContext.prototype.createChannelMerger;
  AudioContext.prototype.createChannelMerger = function (...given) {
    const merger = make.apply(this, given);
    const split = this.createChannelSplitter(2);
    const meters = [0, 1].map((side) => {
      const meter = this.createAnalyser();
      meter.fftSize = 4096;
      split.connect(meter, side);
      return meter;
    });
    merger.connect(split);
    window.heard = () => meters.map((meter) => {
      const samples = new Float32Array(meter.fftSize);
      meter.getFloatTimeDomainData(samples);
      return Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);
    });
    window.pitch = (side) => {
      const bins = new Float32Array(meters[side].frequencyBinCount);
      meters[side].getFloatFrequencyData(bins);
      return bins.indexOf(Math.max(...bins)) * this.sampleRate / meters[side].fftSize;
    };
    return merger;
  };
})();
