using Faster.Log;

namespace Faster.Analytics.History;

/// <summary>
/// A part of a key's chain that stays as it was captured, although the log is truncated meanwhile and the index
/// changes: the links between records of a log never change.
/// </summary>
/// <param name="Newest">The address of its newest record.</param>
/// <param name="Pin">Keeps the log on the device; the part ends at its address.</param>
/// <param name="Now">The time at which expiry is checked.</param>
internal readonly record struct PinnedChain(long Newest, LogPins.Pin Pin, long Now);
