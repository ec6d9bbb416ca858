using System.Reflection;
using Faster.Engines;

namespace Faster.Benchmarks.Table;

/// <summary>An engine as a program to start and the arguments that choose it.</summary>
/// <param name="Program">The path of the program's assembly.</param>
/// <param name="Arguments">What chooses the engine there.</param>
internal sealed record Contestant(string Program, params string[] Arguments)
{
    /// <summary>All engines: ours, the dictionary, the peer in both modes.</summary>
    public static IReadOnlyList<Contestant> All { get; } =
    [
        Own(EngineKind.Store),
        Own(EngineKind.Batch),
        Own(EngineKind.Dictionary),
        new(PeerProgram, "--best"),
        new(PeerProgram, "--safe"),
    ];

    /// <inheritdoc/>
    public override string ToString() => string.Join(' ', [Program, .. Arguments]);

    private static string PeerProgram => typeof(Contestant).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
        .Single(a => a.Key == nameof(PeerProgram)).Value!;

    private static Contestant Own(EngineKind engine) =>
        new(typeof(Contestant).Assembly.Location, RunCommand.Name, "--engine", engine.ToString());
}
