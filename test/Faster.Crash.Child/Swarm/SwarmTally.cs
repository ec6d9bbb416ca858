using System.Globalization;

namespace Faster.Crash.Swarm;

/// <summary>What a swarm has done. Thread-safe.</summary>
internal sealed class SwarmTally
{
    private readonly long[] _counts = new long[Enum.GetValues<SwarmCount>().Length];

    /// <summary>Known faults, past which a swarm goes on if it can.</summary>
    public IReadOnlyCollection<SwarmFault> Known { get; init; } = [];

    /// <summary>Records a broken promise.</summary>
    /// <exception cref="SwarmViolation">Always, unless the fault is known.</exception>
    public void Break(SwarmFault fault, string message)
    {
        if (!Known.Contains(fault)) throw new SwarmViolation(fault, message);
        Add(SwarmCount.KnownFaults);
    }

    /// <summary>Adds to a count.</summary>
    public void Add(SwarmCount what, long by = 1) => Interlocked.Add(ref _counts[(int)what], by);

    /// <summary>The value of a count.</summary>
    public long Of(SwarmCount what) => Interlocked.Read(ref _counts[(int)what]);

    /// <summary>All numbers, for another process.</summary>
    public string Numbers() => string.Join(' ', _counts.Select(
        static count => count.ToString(CultureInfo.InvariantCulture)));

    /// <summary>Adds the numbers of another process, except stores and lives, which are counted here.</summary>
    public void Add(string numbers)
    {
        string[] words = numbers.Trim().Split(' ');
        for (int i = (int)SwarmCount.Operations; i < words.Length; i++)
            Add((SwarmCount)i, long.Parse(words[i], CultureInfo.InvariantCulture));
    }

    /// <inheritdoc/>
    public override string ToString() => string.Join(", ", Enum.GetValues<SwarmCount>()
        .Select(what => string.Create(CultureInfo.InvariantCulture, $"{Of(what)} {Words(what)}")));

    private static string Words(SwarmCount what) =>
        string.Concat(what.ToString().Select((c, i) => i > 0 && char.IsUpper(c) ? $" {c}" : $"{c}")).ToLowerInvariant();
}

/// <summary>What is counted.</summary>
internal enum SwarmCount
{
    /// <summary>Stores, each from a seed.</summary>
    Stores,

    /// <summary>Openings of a store.</summary>
    Lives,

    /// <summary>Processes, or stores in a process, that were killed.</summary>
    Kills,

    /// <summary>Power cuts.</summary>
    PowerCuts,

    /// <summary>Operations that were issued.</summary>
    Operations,

    /// <summary>Sessions that were started.</summary>
    Sessions,

    /// <summary>Commits that were acknowledged.</summary>
    Commits,

    /// <summary>Of these, commits that answered that there was nothing to do.</summary>
    EmptyCommits,

    /// <summary>Whole states, of a commit or of the open store, that were compared with the model.</summary>
    StatesCompared,

    /// <summary>Broken promises that are known.</summary>
    KnownFaults,
}
