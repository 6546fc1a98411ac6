/** One harmonic constituent of a harbour: its amplitude in metres, speed in degrees an hour, and phase in degrees. */
export interface Constituent {
  readonly name: string;
  readonly amplitude: number;
  readonly speed: number;
  readonly phase: number;
}

/** Height of the tide in metres above chart datum. Hours are counted from the epoch of the constituents. */
export function heightAt(hours: number, meanLevel: number, constituents: readonly Constituent[]): number {
  const waves = constituents.map(({ amplitude, speed, phase }) => amplitude * Math.cos(radians(speed * hours - phase)));
  return round(meanLevel + waves.reduce((sum, wave) => sum + wave, 0));
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** Centimetres are all that a harbour master reads. */
const round = (metres: number) => Math.round(metres * 100) / 100;
