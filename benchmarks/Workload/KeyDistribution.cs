namespace Faster.Workload;

/// <summary>How the keys of a run are drawn.</summary>
internal enum KeyDistribution
{
    /// <summary>Each key alike.</summary>
    Uniform,

    /// <summary>The i-th most frequent key in proportion to i⁻⁰·⁹⁹, hot keys scattered over the key space.</summary>
    Zipf,
}
