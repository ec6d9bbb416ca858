namespace Faster.Workload;

/// <summary>One run: what is done, to how many keys, by how many threads, for how long.</summary>
/// <param name="Operation">What every operation does.</param>
/// <param name="Distribution">How keys are drawn.</param>
/// <param name="Keys">How many keys are loaded before; they are 0, 1, … and each is 8 bytes, as is its value.</param>
/// <param name="Threads">How many threads work, each with a session and a key stream of its own.</param>
/// <param name="Seconds">How long is measured, after a warm-up of <see cref="WarmUpSeconds"/>.</param>
internal sealed record RunSettings(
    OperationKind Operation, KeyDistribution Distribution, int Keys, int Threads, double Seconds)
{
    /// <summary>Time for the JIT's last tier and for caches and pages to settle, not counted.</summary>
    public double WarmUpSeconds { get; init; } = 1;
}
