namespace CountStore.Input;

/// <summary>
/// Cuts words in lower case, and phrases of consecutive words. A word is a run of letters, digits, «_» and «`»; a
/// single dot or apostrophe between two of these belongs to it, so that «system.string» and «don't» are words. Bytes
/// beyond ASCII count as letters and are left as they are. Words are cut at <see cref="MaxWordLength"/> bytes.
/// </summary>
/// <remarks>
/// Words are written to the batch's buffer with one space between them, so that a phrase is a range of that buffer and
/// is never copied. Where a new batch begins, the words that its first phrases begin with are written again.
/// XML needs no more than this here: an entity is a gap between words (all five that XML defines are), tags, comments
/// and instructions are gaps (the latter two up to their first «>»), and attribute values are text; a prefix such as
/// «T:» of a documented name goes.
/// </remarks>
internal sealed class WordParser(WordSyntax syntax, int phraseLength) : KeyParser
{
    /// <summary>The longest word, in bytes.</summary>
    public const int MaxWordLength = 256;

    private readonly int[] _starts = new int[phraseLength];
    private readonly byte[] _kept = new byte[phraseLength * (MaxWordLength + 1)];
    private readonly int[] _keptStarts = new int[phraseLength];
    private int _keptLength;
    private int _keptWords;

    private int _words;
    private int _wordLength;
    private byte _joint;
    private bool _wordOpensValue;
    private XmlContext _context;
    private byte _quote;

    /// <inheritdoc/>
    public override int Parse(ReadOnlySpan<byte> block, KeyBatch batch)
    {
        if (batch.Length == 0) TakeUpPhrase(batch);
        for (int at = 0; at < block.Length; at++)
        {
            if (_wordLength == 0 && batch.IsFull)
            {
                KeepPhrase(batch);
                return at;
            }

            byte value = block[at];
            if (_context is XmlContext.Text or XmlContext.Value)
            {
                byte letter = WordBytes.LowerLetter(value);
                if (letter != 0) AddLetter(letter, batch);
                else if (MayJoin(value)) _joint = value;
                else EndText(value, batch);
            }
            else
            {
                PassMarkup(value);
            }
        }

        return block.Length;
    }

    /// <inheritdoc/>
    public override void End(KeyBatch batch)
    {
        EndWord(batch);
        _words = 0;
        _context = XmlContext.Text;
    }

    private bool MayJoin(byte value) => _joint == 0 && _wordLength > 0 && WordBytes.IsJoint(value)
        && !(_context == XmlContext.Value && value == _quote);

    private void AddLetter(byte letter, KeyBatch batch)
    {
        if (_joint != 0)
        {
            batch.Append(_joint);
            _joint = 0;
            _wordLength++;
        }

        if (_wordLength >= MaxWordLength - 1) EndWord(batch);
        if (_wordLength == 0) BeginWord(batch);
        batch.Append(letter);
        _wordLength++;
    }

    private void BeginWord(KeyBatch batch)
    {
        if (batch.Length > 0) batch.Append((byte)' ');
        if (_words == phraseLength) _starts.AsSpan(1).CopyTo(_starts);
        else _words++;
        _starts[_words - 1] = batch.Length;
    }

    private void EndWord(KeyBatch batch)
    {
        _joint = 0;
        if (_wordLength == 0) return;
        _wordLength = 0;
        _wordOpensValue = false;
        for (int first = _words - 1; first >= 0; first--) batch.EndKey(_starts[first]);
    }

    // A byte that no word contains: it ends the word, and in XML it may end the text.
    private void EndText(byte value, KeyBatch batch)
    {
        if (_context == XmlContext.Value && value == ':' && _wordOpensValue && _wordLength == 1)
        {
            DropWord(batch);
            return;
        }

        EndWord(batch);
        _wordOpensValue = false;
        if (syntax == WordSyntax.PlainText) return;
        if (value == '&') _context = _context == XmlContext.Text ? XmlContext.TextEntity : XmlContext.ValueEntity;
        else if (_context == XmlContext.Value && value == _quote) _context = XmlContext.Tag;
        else if (_context == XmlContext.Text && value == '<') _context = XmlContext.TagStart;
    }

    private void PassMarkup(byte value)
    {
        switch (_context)
        {
            case XmlContext.TextEntity or XmlContext.ValueEntity when value == ';':
                _context = _context == XmlContext.TextEntity ? XmlContext.Text : XmlContext.Value;
                break;
            case XmlContext.TagStart:
                _context = value is (byte)'?' or (byte)'!' ? XmlContext.Instruction : XmlContext.Tag;
                break;
            case XmlContext.Tag when value is (byte)'"' or (byte)'\'':
                _context = XmlContext.Value;
                _quote = value;
                _wordOpensValue = true;
                break;
            case XmlContext.Tag or XmlContext.Instruction when value == '>':
                _context = XmlContext.Text;
                break;
        }
    }

    private void DropWord(KeyBatch batch)
    {
        int start = _starts[--_words];
        batch.CutTo(start > 0 ? start - 1 : 0);
        _wordLength = 0;
        _wordOpensValue = false;
    }

    // The words that the next batch's first phrases begin with: all but the first of the last phrase.
    private void KeepPhrase(KeyBatch batch)
    {
        int first = Math.Max(0, _words - (phraseLength - 1));
        _keptWords = _words - first;
        _keptLength = 0;
        if (_keptWords == 0) return;
        int origin = _starts[first];
        ReadOnlySpan<byte> text = batch.From(origin);
        text.CopyTo(_kept);
        _keptLength = text.Length;
        for (int word = 0; word < _keptWords; word++) _keptStarts[word] = _starts[first + word] - origin;
    }

    private void TakeUpPhrase(KeyBatch batch)
    {
        if (_words == 0) return;
        batch.Append(_kept.AsSpan(0, _keptLength));
        _keptStarts.AsSpan(0, _keptWords).CopyTo(_starts);
        _words = _keptWords;
        _keptWords = _keptLength = 0;
    }

    private enum XmlContext : byte
    {
        Text,
        TagStart,
        Tag,
        Value,
        Instruction,
        TextEntity,
        ValueEntity,
    }
}
