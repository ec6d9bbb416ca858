using Faster.Workload.Cells;
using Faster.Ycsb.Engines;

namespace Faster.Ycsb.Running;

/// <summary>What one child process does.</summary>
/// <param name="Engine">With which engine.</param>
/// <param name="Run">Which repetition it is, from 1.</param>
/// <param name="Settings">What.</param>
/// <param name="Point">Where it stands in a sweep, or null.</param>
internal sealed record CellLoad(EngineEntry Engine, int Run, LoadSettings Settings, SweepPoint? Point)
{
    /// <summary>
    /// Divides cells into loads: those that insert keys get one each, so that they begin with what was loaded; all
    /// others share one.
    /// </summary>
    public static IEnumerable<LoadSettings> Divide(LoadSettings settings)
    {
        CellSettings[] shared = [.. settings.Cells.Where(c => !Inserts(c))];
        if (shared.Length != 0)
            yield return settings with { Cells = shared };
        foreach (CellSettings cell in settings.Cells.Where(Inserts))
            yield return settings with { Cells = [cell] };
    }

    private static bool Inserts(CellSettings cell) =>
        YcsbWorkload.TryParse(cell.Workload, out YcsbWorkload? workload) && workload.Update == UpdateKind.Insert;
}
