namespace CountStore.Input;

/// <summary>Something to count. Any number of readers share its keys between them.</summary>
/// <remarks>Thread-safe; each reader is used by one thread at a time.</remarks>
internal interface IInput : IDisposable
{
    /// <summary>What it is, for people.</summary>
    string Name { get; }

    /// <summary>How its bytes are cut into keys.</summary>
    InputFormat Format { get; }

    /// <summary>How many stored (maybe compressed) bytes there are.</summary>
    long TotalBytes { get; }

    /// <summary>How many stored bytes were read so far.</summary>
    long BytesDone { get; }

    /// <summary>How many decompressed bytes were cut into keys so far.</summary>
    long BytesParsed { get; }

    /// <summary>What tells this input from another one, or from itself after it was changed.</summary>
    string Fingerprint { get; }

    /// <summary>A further reader, which takes what the others leave.</summary>
    IKeyReader OpenReader();

    /// <summary>
    /// The reader of one fixed share. Which keys it gives, and in which order, follows from the input and the number of
    /// shares alone, not from the readers' speed: a number of keys is a position in a share, in this run and the next.
    /// </summary>
    /// <param name="share">From 0.</param>
    /// <param name="shares">How many shares there are; each is read by a thread of its own.</param>
    /// <param name="stop">Ends the waiting for the other shares' readers.</param>
    IKeyReader OpenShare(int share, int shares, CancellationToken stop);
}
