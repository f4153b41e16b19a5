/** The part of the API's types that this page uses. `openapi/bff.json` has all of them. */

export interface Assistant {
  id: string;
  title: string;
  description: string;
  available: boolean;
  starters: { label: string; message: string }[];
}

export interface Thread {
  thread_id: string;
  assistant: string;
  title: string | null;
}

/** Arguments of `render_ui_component`. */
export type Card = {
  component: string;
  props: Record<string, unknown>;
  suggestions?: { label: string; action: string }[];
};

export interface Chart {
  chartType: 'area' | 'bar' | 'line' | 'scatter' | 'pie' | 'composed';
  title: string;
  xAxisKey: string;
  yAxisLabel?: string;
  series: { dataKey: string; name: string; color?: string }[];
  data: Record<string, unknown>[];
}

export interface DataCard {
  title: string;
  note?: string;
  figures?: { label: string; value: string; remark?: string }[];
  chart?: Chart;
  table?: { columns: { key: string; label: string; unit?: string }[]; rows: Record<string, unknown>[] };
}

/** Arguments of `request_user_selection`. */
export type Question = {
  prompt: string;
  contextMessage?: string;
  options: { value: string; label: string; group?: string; subtitle?: string }[];
  selectionType: 'single' | 'multiple';
  inputType: 'dropdown' | 'date' | 'date-range';
  minDate?: string;
  maxDate?: string;
  minCount?: number;
  maxCount?: number;
};

/** The data of a `data-plan` part. */
export interface Plan {
  request: string;
  state: 'active' | 'complete' | 'superseded' | 'aborted';
  tasks: { key: string; description: string; status: string }[];
}
