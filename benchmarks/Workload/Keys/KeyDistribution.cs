namespace Faster.Workload;

/// <summary>How the keys of a run are drawn.</summary>
internal enum KeyDistribution
{
    /// <summary>Each key alike.</summary>
    Uniform,

    /// <summary>The i-th most frequent key in proportion to i⁻ᶿ, hot keys scattered over the key space.</summary>
    Zipf,

    /// <summary>Zipf's ranks counted back from the newest key: what was inserted last is read most.</summary>
    Latest,

    /// <summary>Nine in ten operations go to a fifth of the keys, always the same ones (paper 000, §7.5).</summary>
    HotSet,

    /// <summary>The same, but keys leave the hot fifth and others enter it, all the time.</summary>
    Moving,

    /// <summary>The keys of a recorded trace, in its order.</summary>
    Trace,
}
