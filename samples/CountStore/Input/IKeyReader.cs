namespace CountStore.Input;

/// <summary>Gives a share of an input's keys in batches.</summary>
internal interface IKeyReader : IDisposable
{
    /// <summary>Fills a batch anew.</summary>
    /// <returns>Whether the batch has keys; false at the end of the input.</returns>
    /// <exception cref="InputException">The input does not have its format.</exception>
    bool TryRead(KeyBatch batch);
}
