import { readFile } from 'node:fs/promises';

export interface Station {
  readonly id: string;
  readonly name: string;
  readonly meanLevel: number;
  /** IANA name, such as Europe/Lisbon. Forecasts are computed in UTC and shown in this zone. */
  readonly timeZone: string;
}

/** All stations, read once at start: there are 340 of them and they change twice a year. */
export async function loadStations(file: string): Promise<ReadonlyMap<string, Station>> {
  const stations = JSON.parse(await readFile(file, 'utf8')) as Station[];
  return new Map(stations.map((station) => [station.id, station]));
}
