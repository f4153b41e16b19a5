/** The first rows of a file of an import: a column for each quantity that the file has. */

/** Header of a quantity, and its value in a row. */
const QUANTITIES = [
  { header: 'W', of: (row) => row.active_power_w },
  { header: 'kWh of the day', of: (row) => row.energy_daily_kwh },
  { header: 'kWh since the row before', of: (row) => row.metadata?.energyIntervalKwh },
  { header: 'Counter, kWh', of: (row) => row.metadata?.energyLifetimeKwh },
  { header: 'W/m²', of: (row) => row.irradiance },
];

/** The headers and the cells of the first rows, numbers as they are. */
export function firstRows(rows, most = 5) {
  const shown = rows.slice(0, most);
  const there = QUANTITIES.filter(({ of }) => shown.some((row) => of(row) !== undefined && of(row) !== null));
  return {
    header: ['Time', 'Device', ...there.map(({ header }) => header)],
    rows: shown.map((row) => ({ timestamp: row.timestamp, device: row.logger_id, values: there.map(({ of }) => of(row)) })),
  };
}
