using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Faster.Workload.Experiments;

/// <summary>
/// What the operations of a run are: reads and blind updates in a proportion, written R:BU as in the paper, or
/// read-modify-writes, written rmw.
/// </summary>
/// <param name="Name">As it is written.</param>
/// <param name="Reads">The part that reads, from 0 to 1.</param>
/// <param name="IsRmw">Whether all are read-modify-writes.</param>
internal sealed record Mix(string Name, double Reads, bool IsRmw)
{
    /// <summary>Every operation adds one to a value.</summary>
    public static Mix Rmw { get; } = new("rmw", 1, IsRmw: true);

    /// <summary>Half reads, half blind updates.</summary>
    public static Mix Even { get; } = new("50:50", 0.5, IsRmw: false);

    /// <summary>What a thread does with its keys.</summary>
    public ChunkWork Work => IsRmw
        ? (worker, keys) => worker.Rmw(keys)
        : (worker, keys) => AnswerCheck.CheckMixed(worker.Mixed(keys, AnswerCheck.Updated), keys);

    /// <summary>Reads what a user wrote; false when it is no mix.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out Mix? mix)
    {
        mix = text.Equals(Rmw.Name, StringComparison.OrdinalIgnoreCase) ? Rmw : null;
        string[] parts = text.Split(':');
        if (parts.Length == 2
            && int.TryParse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture, out int reads)
            && int.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out int updates)
            && reads + updates == 100)
            mix = new Mix($"{reads}:{updates}", reads / 100.0, IsRmw: false);
        return mix is not null;
    }

    /// <summary>The key streams of a run.</summary>
    public KeyStream[] Draw(StepSettings settings) =>
        new KeyDraw(settings.Keys, settings.Distribution, Reads).Streams(settings.Threads);
}
