/** The first rows of a file of an import: a column for each quantity that the file has. */

/** Header of a quantity, and its value in a row. */
const QUANTITIES = [
  ['W', (row) => row.active_power_w],
  ['kWh of the day', (row) => row.energy_daily_kwh],
  ['kWh since the row before', (row) => row.metadata?.energyIntervalKwh],
  ['Counter, kWh', (row) => row.metadata?.energyLifetimeKwh],
  ['W/m²', (row) => row.irradiance],
];

/** The headers and the cells of the first rows, numbers as they are. */
export function firstRows(rows, most = 5) {
  const shown = rows.slice(0, most);
  const there = QUANTITIES.filter(([, value]) => shown.some((row) => value(row) !== undefined && value(row) !== null));
  return {
    header: ['Time', 'Device', ...there.map(([header]) => header)],
    rows: shown.map((row) => ({ timestamp: row.timestamp, device: row.logger_id, values: there.map(([, value]) => value(row)) })),
  };
}
