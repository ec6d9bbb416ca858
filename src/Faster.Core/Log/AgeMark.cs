namespace Faster.Log;

/// <summary>No record below an address has been written or changed after a time.</summary>
/// <param name="Address">The address.</param>
/// <param name="Utc">The time, UTC.</param>
internal readonly record struct AgeMark(long Address, DateTime Utc);
