namespace CountStore.Report;

/// <summary>A key and its count.</summary>
internal sealed record CountedKey(byte[] Key, long Count);
