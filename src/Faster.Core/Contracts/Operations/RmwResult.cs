namespace Faster;

/// <summary>The output of a read-modify-write, and whether it has created the key's record.</summary>
/// <typeparam name="TOutput">The output's type.</typeparam>
/// <param name="Created">
/// Whether there was no live record of the key (<see cref="Status.Created"/>), so that the initial updater ran.
/// </param>
/// <param name="Value">The output of the updater whose value was stored.</param>
public readonly record struct RmwResult<TOutput>(bool Created, TOutput Value);
