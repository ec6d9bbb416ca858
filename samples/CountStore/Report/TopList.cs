namespace CountStore.Report;

/// <summary>A titled list of the most frequent keys of one kind.</summary>
/// <param name="Title">What they are, in the plural.</param>
/// <param name="Keys">The keys, the most frequent first.</param>
internal sealed record TopList(string Title, IReadOnlyList<CountedKey> Keys);
