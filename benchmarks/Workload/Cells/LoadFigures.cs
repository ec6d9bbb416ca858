namespace Faster.Workload.Cells;

/// <summary>What loading took.</summary>
/// <param name="Keys">How many keys were loaded.</param>
/// <param name="Seconds">The time.</param>
/// <param name="ResidentBytes">By how much the process grew; null where the system does not tell.</param>
/// <param name="StoreBytes">What the engine says that it uses; null if it does not say.</param>
/// <param name="BytesWritten">What the process wrote; null where the system does not tell.</param>
internal sealed record LoadFigures(
    int Keys, double Seconds, long? ResidentBytes, long? StoreBytes, long? BytesWritten);
