namespace Faster.Generators.Models;

/// <summary>Specifies what a parameter of a transaction is.</summary>
internal enum TransactionRole
{
    /// <summary>A record that is read.</summary>
    Read,

    /// <summary>A record that is written.</summary>
    Written,

    /// <summary>A set of records that are read.</summary>
    ReadSet,

    /// <summary>A set of records that are written.</summary>
    WrittenSet,

    /// <summary>All records: the transaction finds its own.</summary>
    Dynamic,

    /// <summary>The key of a record.</summary>
    Key,
    Input,
    Output,
}

/// <summary>One parameter of a transaction.</summary>
/// <param name="Role">What it is to the transaction.</param>
/// <param name="Name">Its name, escaped if it is a keyword.</param>
/// <param name="Type">
/// The type of the record as the method has it, also in a set; or that of the input or output.
/// </param>
/// <param name="Declared">Its passing and its type as declared, for a call of exactly this method.</param>
/// <param name="Index">Its number among those of its kind; of a key, that of its record.</param>
/// <param name="IsNullable">Whether null is an absent record.</param>
internal sealed record TransactionParameter(
    TransactionRole Role, string Name, string Type, ParameterModel Declared, int Index, bool IsNullable)
{
    public bool IsSingle => Role is TransactionRole.Read or TransactionRole.Written;

    public bool IsSet => Role is TransactionRole.ReadSet or TransactionRole.WrittenSet;

    public bool IsWritten => Role is TransactionRole.Written or TransactionRole.WrittenSet;
}

/// <summary>One transaction of a store.</summary>
/// <param name="Name">The method's name, as it is.</param>
/// <param name="Parameters">The parameters in order.</param>
/// <param name="ReturnsBool">Whether the method may abort.</param>
/// <param name="IsOverloaded">Whether the class has other methods of this name.</param>
internal sealed record TransactionModel(
    string Name, EquatableArray<TransactionParameter> Parameters, bool ReturnsBool, bool IsOverloaded)
{
    /// <summary>The records that have a parameter of their own, whose keys come before those of sets.</summary>
    public IEnumerable<TransactionParameter> Singles => Parameters.Where(static p => p.IsSingle);

    public IEnumerable<TransactionParameter> Sets => Parameters.Where(static p => p.IsSet);

    public IEnumerable<TransactionParameter> Inputs => Parameters.Where(static p => p.Role == TransactionRole.Input);

    /// <summary>The keys that the method takes, each record's once.</summary>
    public IEnumerable<TransactionParameter> Keys => Parameters.Where(static p => p.Role == TransactionRole.Key)
        .GroupBy(static p => p.Index).Select(static keys => keys.First());

    public TransactionParameter? Output => Parameters.FirstOrDefault(static p => p.Role == TransactionRole.Output);

    public bool IsDynamic => Parameters.Any(static p => p.Role == TransactionRole.Dynamic);

    public bool HasSets => Sets.Any();
}
