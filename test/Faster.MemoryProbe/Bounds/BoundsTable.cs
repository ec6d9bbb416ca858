using System.Diagnostics;
using System.Globalization;

namespace Faster.MemoryProbe.Bounds;

/// <summary>All engines under all loads, each in a process of its own, as a table.</summary>
internal static class BoundsTable
{
    /// <summary>Prints the table, a line when its process has ended.</summary>
    /// <param name="memory">The memory budget in MiB.</param>
    /// <param name="disk">The disk budget in MiB.</param>
    /// <param name="times">How many times the budget is written.</param>
    /// <param name="folder">A folder that folders are made in, and deleted.</param>
    /// <returns>0 if all is within its bounds.</returns>
    public static async Task<int> RunAsync(string memory, string disk, string times, string folder)
    {
        int above = 0;
        Console.WriteLine(
            $"MemoryBudget {memory} MiB, DiskBudget {disk} MiB; the most of each, divided by its budget\n\n"
            + "| engine | load | segments | other files | growth | samples above | MiB written | refused | s |");
        Console.WriteLine("|---|---|---|---|---|---|---|---|---|");
        foreach (string engine in BoundedStore.Engines)
        {
            foreach (LoadKind kind in Enum.GetValues<LoadKind>())
            {
                if (!BoundedStore.Supports(engine, kind)) continue;
                string own = Path.Combine(folder, $"{engine}-{kind}");
                string line = await RunCellAsync("bounds", engine, $"{kind}", memory, disk, times, "1", own);
                if (Directory.Exists(own)) Directory.Delete(own, recursive: true);
                above += Print(engine, kind, line);
            }
        }

        return above == 0 ? 0 : 1;
    }

    private static async Task<string> RunCellAsync(params string[] arguments)
    {
        using Process process = Process.Start(
            new ProcessStartInfo("dotnet", ["exec", typeof(BoundsTable).Assembly.Location, .. arguments])
            {
                RedirectStandardOutput = true,
                Environment =
                {
                    // For the runtime's own memory, which no store bounds, and compiled code.
                    ["DOTNET_GCgen0size"] = "0x100000", ["DOTNET_TieredCompilation"] = "0",
                },
            })!;
        string text = await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync();
        return text;
    }

    private static int Print(string engine, LoadKind kind, string line)
    {
        Dictionary<string, long> figures = line.Split(' ', '\n').Select(static word => word.Split('='))
            .Where(static pair => pair.Length == 2 && long.TryParse(pair[1], CultureInfo.InvariantCulture, out _))
            .ToDictionary(static pair => pair[0], static pair => long.Parse(pair[1], CultureInfo.InvariantCulture));
        if (!figures.TryGetValue("samples", out long samples))
        {
            Console.WriteLine($"| {engine} | {kind} | has failed |");
            return 1;
        }

        double Of(string figure, string budget) => (double)figures[figure] / figures[budget];
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"| {engine} | {kind} | {Of("logs", "disk"):0.00} | {Of("others", "disk"):0.00} "
            + $"| {Of("growth", "memory"):0.00} | {100.0 * figures["above"] / samples:0} % "
            + $"| {figures["written"] >> 20} | {figures["refused"]} | {figures["milliseconds"] / 1000.0:0.0} |"));
        return figures["above"] == 0 ? 0 : 1;
    }
}
