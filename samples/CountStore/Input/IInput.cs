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

    /// <summary>A further reader.</summary>
    IKeyReader OpenReader();
}
