namespace Faster.Checkpoints;

/// <summary>No record below an address has been written or changed after a time.</summary>
/// <param name="Address">The address.</param>
/// <param name="Utc">The time, UTC.</param>
internal readonly record struct LogAge(long Address, DateTime Utc);
