"use strict";
// The page's only own script: language switch, and the charts. It loads nothing: the chart library is in the page.
(() => {
  const root = document.documentElement;
  // A page of several runs has no time axis, no histograms and no marks; most runs have one side.
  const none = { against: [], trends: [], over_time: [], histograms: [], stages: [], unmeasured: [], marks: [], end: 0 };
  const data = { ...none, ...JSON.parse(document.getElementById("chart-data").textContent) };
  const timed = new Set([...data.trends, ...data.over_time].map((chart) => chart.id));
  const all = [data.against, data.ladder, data.trends, data.over_time, data.percentiles, data.histograms].flat();
  const charts = all.filter((chart) => !chart.empty);
  // Time since the start of the run is drawn as the clock time of a day. Not of the first day of 1970: the chart
  // library reads numbers of four digits as years.
  const clock = (seconds) => 86400000 + seconds * 1000;
  const wholeRun = [clock(0), clock(data.end)];
  let range = wholeRun;

  // ---- texts -------------------------------------------------------------------------------------------------

  const say = (text) => text[root.lang] ?? text.en;
  // Chart labels know a little HTML, links among it: names from a scenario or a server are shown as they are.
  const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const short = (text, most) => {
    const letters = [...text.replace(/[\u2028\u2029\n\r]/g, " ")];
    return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : letters.join("");
  };
  const colour = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();

  // ---- what a chart looks like -------------------------------------------------------------------------------

  const palette = () =>
    matchMedia("(prefers-color-scheme: dark)").matches && !root.hasAttribute("data-printing")
      ? ["#6ea8ff", "#56d4a0", "#f2a65a", "#d2a8ff", "#ff7b72", "#e3c04d", "#79c0ff", "#b0b8c4"]
      : ["#1f5fbf", "#2a9d6f", "#d9822b", "#7a4fbf", "#c9302c", "#a88200", "#3a9bd1", "#5b6675"];

  const traces = (chart) => {
    if (chart.kind === "heat") return [heat(chart.heat)];
    if (chart.kind === "bars") return chart.series.map(bars);
    if (chart.kind === "steps") return chart.series.map(steps);
    return lines(chart);
  };

  // Few are seen beside many: the colour goes by the logarithm.
  const heat = ({ x, y, z }) => ({
    type: "heatmap",
    x: x.map(clock),
    y,
    z: z.map((row) => row.map((count) => (count === null ? null : Math.log10(count)))),
    text: z.map((row) => row.map((count) => String(count ?? 0))),
    hovertemplate: "%{y:.3~g} ms: %{text}<extra></extra>",
    colorscale: [[0, colour("heat-few")], [1, colour("heat-many")]],
    zmin: 0,
    showscale: false,
    hoverongaps: false,
  });

  const bars = (series, index) => ({
    type: "bar",
    name: plain(short(say(series.name), 24)),
    x: series.x.map(clock),
    y: series.y,
    hovertemplate: "%{y}",
    marker: { color: palette()[index % palette().length] },
  });

  const steps = (series, index) => ({
    type: "scatter",
    mode: "lines",
    name: plain(short(say(series.name), 24)),
    x: series.x,
    y: series.y,
    hovertemplate: "%{y:.3~g} %",
    fill: "tozeroy",
    fillcolor: palette()[index % palette().length] + "22",
    line: { color: palette()[index % palette().length], width: 1.4, shape: "hv" },
  });

  // Runs are told apart without colours, too.
  const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon"];

  const lines = (chart) =>
    chart.series.map((series, index) => ({
      type: "scatter",
      mode: onTime(chart) ? "lines" : "lines+markers",
      name: plain(short(say(series.name), 24)),
      x: onTime(chart) ? series.x.map(clock) : series.x,
      y: series.y,
      yaxis: series.style === "right" ? "y2" : "y",
      connectgaps: false,
      hovertemplate: "%{y:.4~g}",
      marker: { size: series.style === "level" ? 1 : 6, symbol: SYMBOLS[series.run ?? 0] },
      line: {
        color: series.style === "stage" ? palette()[(series.run ?? index) % palette().length] : colour("series-" + series.style),
        width: series.style === "second" || series.style === "level" ? 1.2 : 1.8,
        dash: series.style === "level" ? "dot" : "solid",
      },
    }));

  const onTime = (chart) => timed.has(chart.id);

  const layout = (chart, width) => {
    const grid = { gridcolor: colour("line"), linecolor: colour("line"), zerolinecolor: colour("line"), automargin: true };
    const two = chart.series.some((series) => series.style === "right");
    return {
      autosize: true,
      margin: { l: 8, r: 12, t: 48, b: 8 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: getComputedStyle(document.body).fontFamily, size: 11, color: colour("soft") },
      hovermode: chart.kind === "heat" ? "closest" : "x unified",
      hoverlabel: { bgcolor: colour("paper"), bordercolor: colour("line"), font: { color: colour("ink"), size: 11 } },
      dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
      // The head of a comparison shows the colours of its runs; many names would leave no room to draw.
      showlegend: chart.series.length > 1 && !(chart.series.length > 3 && chart.series[0].run != null),
      legend: { orientation: "h", x: 0, y: -0.18, yanchor: "top", font: { size: 11 } },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("soft"), activecolor: colour("accent"), orientation: "h" },
      barmode: "stack",
      bargap: 0.05,
      yaxis: { ...grid, rangemode: "tozero", fixedrange: onTime(chart), nticks: 6, ...(chart.kind === "heat" && { type: "log" }) },
      ...(two && { yaxis2: { ...grid, overlaying: "y", side: "right", rangemode: "tozero", showgrid: false, nticks: 6 } }),
      ...axis(chart, grid, width),
    };
  };

  const axis = (chart, grid, width) => {
    if (onTime(chart)) return { xaxis: timeAxis(grid), ...timeMarks(width) };
    if (chart.id.startsWith("ladder")) {
      // What is marked is of one run.
      const marks = data.against.includes(chart) ? {} : loadMarks();
      return { xaxis: { ...grid, rangemode: "tozero", nticks: 8 }, ...marks };
    }
    if (chart.kind === "steps") return { xaxis: { ...grid, type: "log", nticks: 6, hoverformat: ".4~g" } };
    const at = { 0: 1, 50: 2, 90: 10, 95: 20, 99: 100, 99.9: 1000, 99.99: 10000 };
    const names = Object.keys(at).sort((one, other) => one - other);
    const tickvals = names.map((name) => at[name]);
    const ticktext = names.map((name) => (name === "0" ? "min" : "p" + name));
    return { xaxis: { ...grid, type: "log", tickvals, ticktext, hoverformat: ".4~g" } };
  };

  const timeAxis = (grid) => ({
    ...grid,
    type: "date",
    range: [...range],
    nticks: 6,
    hoverformat: "%H:%M:%S",
    tickformatstops: [
      { dtickrange: [null, 60000], value: data.end >= 3600 ? "%H:%M:%S" : "%M:%S" },
      { dtickrange: [60000, null], value: data.end >= 3600 ? "%H:%M" : "%M:%S" },
    ],
  });

  // Stage boundaries as lines, stage names over the stretch in view, what is not measured as a shade.
  const timeMarks = (width) => {
    const shade = data.unmeasured.map(([from, to]) => ({
      type: "rect", layer: "below", xref: "x", yref: "paper", x0: clock(from), x1: clock(to), y0: 0, y1: 1,
      line: { width: 0 }, fillcolor: colour("neutral"), opacity: 0.12,
    }));
    const edges = data.stages.map((stage) => ({
      type: "line", xref: "x", yref: "paper", x0: clock(stage.from), x1: clock(stage.from), y0: 0, y1: 1.06,
      line: { color: colour("soft"), width: 1, dash: "dot" },
    }));
    return { shapes: [...shade, ...edges], annotations: stageNames(width) };
  };

  const stageNames = (width) =>
    data.stages.flatMap((stage) => {
      const [from, to] = [Math.max(clock(stage.from), range[0]), Math.min(clock(stage.to), range[1])];
      const letters = Math.floor(((to - from) / (range[1] - range[0])) * (width - 60) / 7);
      if (to <= from || letters < 2) return [];
      const text = plain(short(stage.name, Math.min(letters, 18)));
      return [{ x: from, y: 1, xref: "x", yref: "paper", xanchor: "left", yanchor: "bottom", text, showarrow: false, font: { size: 10 } }];
    });

  const loadMarks = () => {
    const byLoad = new Map();
    data.marks.forEach((mark) => byLoad.set(mark.at, [...(byLoad.get(mark.at) ?? []), mark]));
    const all = [...byLoad].sort(([one], [other]) => one - other);
    // A name at the left edge would be cut if it ended at its line.
    const largest = Math.max(...data.ladder.flatMap((chart) => chart.series.flatMap((series) => series.x)));
    return {
      shapes: all.map(([at, marks]) => ({
        type: "line", xref: "x", yref: "paper", x0: at, x1: at, y0: 0, y1: 1,
        line: { color: colour(marks.at(-1).tone), width: 1.2, dash: "dash" },
      })),
      annotations: all.map(([at, marks], index) => ({
        x: at, y: 1, xref: "x", yref: "paper", yanchor: "bottom", showarrow: false,
        xanchor: (index === all.length - 1 && all.length > 1) || at < 0.2 * largest ? "left" : "right",
        text: marks.map((mark) => say(mark.name)).join(" · "),
        font: { size: 10, color: colour(marks.at(-1).tone) },
      })),
    };
  };

  const chinese = {
    moduleType: "locale",
    name: "zh",
    dictionary: {
      "Zoom": "缩放", "Pan": "平移", "Reset axes": "复位", "Download plot as a PNG": "下载为 PNG 图片",
    },
  };

  const config = (chart) => ({
    responsive: true,
    displaylogo: false,
    showTips: false,
    doubleClick: onTime(chart) ? false : "reset+autosize",
    locale: root.lang,
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
    toImageButtonOptions: { filename: chart.id, scale: 2 },
  });

  // ---- drawing -----------------------------------------------------------------------------------------------

  const plot = (chart) => document.querySelector(`[data-chart="${chart.id}"]`);

  const draw = async (chart) => {
    const place = plot(chart);
    await Plotly.newPlot(place, traces(chart), layout(chart, place.clientWidth), config(chart));
    if (!onTime(chart)) return;
    place.on("plotly_relayout", follow);
    place.addEventListener("mousedown", resetOnDoubleClick, true);
  };

  // The browser counts clicks by when they were made. The chart library counts by when it came to them, and on a slow
  // machine it draws twelve charts between two clicks.
  const resetOnDoubleClick = (press) => {
    if (press.detail !== 2 || !press.target.closest(".draglayer")) return;
    addEventListener("mouseup", () => setTimeout(() => zoom(wholeRun)), { once: true });
  };

  // At once, so that what is printed is whole.
  const drawAll = () => Promise.all(charts.map(draw));

  // What changes while the charts are still being drawn the first time is made up for after that.
  let stale = false;
  const redraw = () => {
    stale = root.dataset.charts !== "drawn";
    if (!stale) drawAll();
  };

  // One by one from the top, so that the page can be read meanwhile.
  const drawInTurn = async () => {
    for (const chart of charts) {
      await draw(chart);
      await new Promise((next) => setTimeout(next));
    }
  };

  // ---- one zoom for all trends -------------------------------------------------------------------------------

  const follow = (change) => {
    if (zooming) return;
    if (change["xaxis.autorange"]) return zoom(wholeRun);
    const asked = change["xaxis.range"] ?? [change["xaxis.range[0]"], change["xaxis.range[1]"]];
    if (asked[0] === undefined) return undefined;
    return zoom(asked.map((edge) => (typeof edge === "number" ? edge : Date.parse(edge.replace(" ", "T") + "Z"))));
  };

  let zooming = false;
  const zoom = async (to) => {
    range = [...to];
    zooming = true;
    markZoom();
    const moved = charts.filter(onTime).map((chart) => {
      const place = plot(chart);
      const change = { "xaxis.range": [...range], annotations: stageNames(place.clientWidth) };
      return Plotly.relayout(place, change);
    });
    await Promise.all(moved);
    zooming = false;
  };

  const stretch = (name) => {
    const stage = data.stages[name];
    return stage ? [clock(stage.from), clock(stage.to)] : wholeRun;
  };

  const markZoom = () =>
    document.querySelectorAll("[data-zoom]").forEach((button) => {
      const same = stretch(button.dataset.zoom).every((edge, index) => edge === range[index]);
      button.setAttribute("aria-pressed", String(same));
    });

  // ---- starting ----------------------------------------------------------------------------------------------

  const unpack = async () => {
    const packed = atob(document.getElementById("chart-library").textContent.trim());
    const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
  };

  const speak = (language) => {
    root.lang = language;
    document.querySelectorAll("[data-language]").forEach((button) => {
      button.setAttribute("aria-pressed", String(button.dataset.language === language));
    });
    redraw();
  };

  // On paper every part is open and colours are those for white ground.
  const print = (now) => () => {
    root.toggleAttribute("data-printing", now);
    document.querySelectorAll("details").forEach((part) => {
      if (now) part.dataset.open = part.open;
      part.open = now || part.dataset.open === "true";
    });
    redraw();
  };

  const start = async () => {
    document.querySelectorAll("[data-language]").forEach((button) => {
      button.addEventListener("click", () => speak(button.dataset.language));
    });
    speak(root.lang);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    addEventListener("beforeprint", print(true));
    addEventListener("afterprint", print(false));
    if (charts.length === 0) return;
    await unpack();
    Plotly.register(chinese);
    stale = false;
    await drawInTurn();
    document.querySelectorAll("[data-zoom]").forEach((button) => {
      button.addEventListener("click", () => zoom(stretch(button.dataset.zoom)));
    });
    document.querySelector(".zoom")?.toggleAttribute("hidden", data.stages.length < 2);
    markZoom();
    if (stale) await drawAll();
    root.dataset.charts = "drawn";
  };

  start().catch((error) => {
    root.dataset.charts = "failed";
    document.querySelector(".charts-failed").hidden = false;
    throw error;
  });
})();
